"""Model traces executed on a real system, step by step; and runs of a real system judged by the model."""
