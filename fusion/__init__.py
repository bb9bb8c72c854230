"""Which pixels belong to which element: detections and elements become one list. Pure."""
