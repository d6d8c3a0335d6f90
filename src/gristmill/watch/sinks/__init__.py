"""Who is told what happens while nodes are watched: tools by JSON lines, monitoring by metrics, others by a webhook."""
