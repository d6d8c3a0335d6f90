"""Links watched while they are in use: the tap, packet capture, recording, and the processes that judge."""
