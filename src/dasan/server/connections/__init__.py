"""HTTP and WebSockets: limits, checks and headers of requests, and messages in and out."""
