// The command line of a chapter program.
#pragma once

#include "conflict_free/chapter.hpp"

namespace conflict_free {

/// The command that the command line asks for.
enum class Command { run, list, help };

/// Reads the command line into `options`. `help` is filled when help is asked for.
/// @throws UsageError for arguments that are unknown or not accepted
Command parse_options(int argc, char** argv, const Chapter& chapter, Options& options, std::string& help);

}  // namespace conflict_free
