/** What WABT makes of escape.wat, in base64; a test compares them. Inside of a source, so that it needs no copying. */
export const escapeModule =
  'AGFzbQEAAAABCAFgA39/fwF/AwIBAAUDAQANBxMCBm1lbW9yeQIABmVzY2FwZQAACskBAcYBAgJ/AnsgAEKgwICBgoSIkCA3' +
  'AwADQCAD/QwAAAAAAAAAAFxcXFxcXFxc/VcDAAAhBSAGIAX9DCAgICAgICAgICAgICAgICD9Jv1QIQZB/wEgBf0MIiIiIiIi' +
  'IiIiIiIiIiIiIv0jIAX9DFxcXFxcXFxcXFxcXFxcXFz9I/1Q/WRxIQQgASAFIAIgBEEEdGr9AAQA/Q79CwQAIAFBCCAEaWpq' +
  'IQEgA0EIaiEDIAMgAEkNAAsgBv1TBEBBAA8LIAEgAyAAa2sL'
