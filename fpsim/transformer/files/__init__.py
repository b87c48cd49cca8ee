"""Models in files: safetensors with codes of F, or JSON with exact numbers, and the description that both have."""
