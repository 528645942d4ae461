"""HTTP: security, responses, uploads and templates."""
