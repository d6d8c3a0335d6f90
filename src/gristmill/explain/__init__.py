"""Why a formula is false, why an action is blocked, what was covered, what held vacuously: answers for people."""
