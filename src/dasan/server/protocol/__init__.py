"""Every message between server and client: one schema for REST, the WebSocket and the client's TypeScript types.

``python -m dasan.server.schema`` writes these models as JSON Schema to ``schema.json``. A message contains only the
fields that were set, so an event without cards has no ``cards``; a field is required and nullable if clients must
distinguish null from absent. Cards are written rank then suit (``"4H"``); a card that the viewer may not see is
``"?"``.
"""
