"""Tests the grader with submissions whose outcome is known, under many draws, without each limit, and with attacks."""
