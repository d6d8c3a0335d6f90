"""Name resolution, a file for each kind of construct; `modules` is where to begin reading."""
