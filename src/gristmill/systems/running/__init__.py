"""The processes of a system: started and ended as `[node]` of a mapping says, with ports, folders and logs."""
