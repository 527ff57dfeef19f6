// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the program as a user does: a process of its own in a fresh directory.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

extern char** environ;

namespace delassus::testing {

struct ProgramResult {
  int status = -1;  // exit status; -1 when a signal ended the program
  int signal = 0;
  std::string out, err;
};

class ProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "delassus_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    std::filesystem::create_directory(directory());
  }
  void TearDown() override {
    std::error_code ignored;
    if (!root_.empty()) std::filesystem::remove_all(root_, ignored);
  }

  // Where the program runs; its output is kept outside.
  std::string directory() const { return root_ + "/work"; }
  std::string path(const std::string& name) const { return directory() + "/" + name; }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  static std::string read_absolute(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  std::string read(const std::string& name) const { return read_absolute(path(name)); }
  std::vector<std::string> read_lines(const std::string& name) const {
    std::istringstream text(read(name));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }
  // Names of everything in the directory, sorted.
  std::vector<std::string> entries() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory()))
      names.push_back(std::filesystem::relative(entry.path(), directory()).string());
    std::sort(names.begin(), names.end());
    return names;
  }

  pid_t start(const std::vector<std::string>& arguments) const {
    std::vector<std::string> words{DELASSUS_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, (root_ + "/stdout").c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_addopen(&actions, 2, (root_ + "/stderr").c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_addchdir_np(&actions, directory().c_str());
    pid_t pid = -1;
    const int error = posix_spawn(&pid, DELASSUS_PROGRAM, &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    // No pid of -1 may get out of here: kill(-1, …) ends every process there is.
    if (error != 0 || pid <= 1)
      throw std::runtime_error(std::string("cannot start " DELASSUS_PROGRAM ": ") + std::strerror(error));
    return pid;
  }
  // To a program that start() started, and to nothing else.
  static void send(pid_t pid, int signal) {
    if (pid <= 1) throw std::logic_error("not a process of this test");
    kill(pid, signal);
  }
  // Waits for the end; a program that hangs is killed and fails the test.
  ProgramResult finish(pid_t pid) const {
    if (pid <= 1) throw std::logic_error("not a process of this test");
    constexpr auto limit = std::chrono::seconds(250);
    const auto deadline = std::chrono::steady_clock::now() + limit;
    int wait_status = 0;
    while (waitpid(pid, &wait_status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > deadline) {
        // Under the address sanitizer it says where it was.
        send(pid, SIGABRT);
        std::this_thread::sleep_for(std::chrono::seconds(10));
        send(pid, SIGKILL);
        waitpid(pid, &wait_status, 0);
        ADD_FAILURE() << "the program hangs\n" << read_absolute(root_ + "/stderr");
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ProgramResult result;
    if (WIFEXITED(wait_status)) result.status = WEXITSTATUS(wait_status);
    if (WIFSIGNALED(wait_status)) result.signal = WTERMSIG(wait_status);
    result.out = read_absolute(root_ + "/stdout");
    result.err = read_absolute(root_ + "/stderr");
    return result;
  }
  ProgramResult run(const std::vector<std::string>& arguments) const { return finish(start(arguments)); }

 private:
  std::string root_;
};

}  // namespace delassus::testing
