// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The host program around a submission to an assignment: sizes and data come from files or from a judge, and outputs go there.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "conflict_free/std_function.hpp"

namespace conflict_free {

/// One run of a submitted function with the data of one case. A driver's main() returns what each() does, and gives it a function
/// that takes the parameters and the data from the trial and calls run() once.
///
/// On a GPU, a program of a trial is called as `PROGRAM CASE OUTPUT [--samples N]`. The folder CASE holds `case.txt`, lines such
/// as `integer width 64`, `input NAME` and `output NAME`, and as raw elements in `NAME.bin` the inputs, and for the outputs what
/// is in their memory at first. In the folder OUTPUT the program leaves the outputs in `NAME.bin`, `times.txt` with one time in milliseconds a line if samples
/// were asked for, and at last `outcome.txt`: `finished`, or what failed. The program's own output means nothing.
///
/// Where the device belongs to a judge (see `simt/trial.h`), the judge has folders of one case or several. Then arguments mean nothing, the
/// program sees no file, and its memory is where the judge says.
///
/// Wrong arguments and a case that cannot be read end the program with exit code 2 and a line that says so; no GPU with 77.
class Trial {
public:
    /// Calls `body` with a trial for each case that there is: all of a judge, or the one that the arguments name. It ends with
    /// the first case in which something failed. @return the exit code for main()
    static int each(int argc, char** argv, const std::function<void(Trial&)>& body);
    /// Frees all memory of the trial.
    ~Trial();
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    /// A parameter of the case.
    int integer(const std::string& name) const;

    /// Device memory that holds the case's data of this name. It is valid as long as the trial.
    template <class Element> const Element* input(const std::string& name) {
        return static_cast<const Element*>(add_input(name, sizeof(Element)));
    }

    /// Device memory for `count` elements, filled with the case's random bytes so that no element is right by chance. It is valid as long
    /// as the trial; its content at the end is kept.
    template <class Element> Element* output(const std::string& name, std::size_t count) {
        return static_cast<Element*>(add_output(name, count * sizeof(Element)));
    }

    /// Calls the submitted function and waits for the device. With samples, calls it again and again from the same state
    /// and takes the times.
    void run(const std::function<void()>& function);

private:
    /// A trial of the judge's current case.
    Trial() : judged_(true) {}
    /// Reads the arguments and the case's parameters.
    Trial(int argc, char** argv);

    struct Buffer {
        std::string name;
        void* device;
        std::size_t bytes;
        std::vector<unsigned char> initial;
        bool is_output;
    };

    void read_case();
    void* add_input(const std::string& name, std::size_t element_bytes);
    void* add_output(const std::string& name, std::size_t bytes);
    void* add(const std::string& name, bool is_output);
    void restore() const;
    void call(const std::function<void()>& function);
    double sample_ms(const std::function<void()>& function);
    void write_outputs() const;
    /// Writes the remaining files, without a judge.
    void finish();

    bool judged_;
    std::string case_folder_, output_folder_;
    int samples_ = 0;
    std::map<std::string, int> integers_;
    std::vector<Buffer> buffers_;
    std::vector<double> times_ms_;
    std::string failure_;
};

}  // namespace conflict_free
