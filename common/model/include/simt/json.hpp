// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Counts as JSON, in the shape that `scripts/count` and the chapter programs write, and back.
#pragma once

#include <nlohmann/json.hpp>

#include "simt/counts.hpp"
#include "simt/hazard.hpp"

namespace simt {

/// One launch, with its lines. Bytes are bytes asked for by the lanes.
nlohmann::ordered_json to_json(const LaunchCounts& counts);

/// One message: its code, its fields, its text and its help.
nlohmann::ordered_json to_json(const Message& message);

/// One hazard, with its message.
nlohmann::ordered_json to_json(const Hazard& hazard);

/// @name Back from JSON
/// The argument comes from to_json(); anything else is an exception of nlohmann::json.
/// @{
void from_json(const nlohmann::json& json, LaunchCounts& counts);
void from_json(const nlohmann::json& json, Message& message);
void from_json(const nlohmann::json& json, Hazard& hazard);
/// @}

}  // namespace simt
