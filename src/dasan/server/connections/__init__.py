"""HTTP and WebSockets: limits, checks and headers of requests, and the messages in and out."""
