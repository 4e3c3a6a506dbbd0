/** What WABT makes of escape.wat, in base64; a test compares them. Inside of a source, so that it needs no copying. */
export const escapeModule =
  'AGFzbQEAAAABCAFgA39/fwF/AwIBAAUDAQANBxMCBm1lbW9yeQIABmVzY2FwZQAACsEBAb4BAgJ/AXsgAEKgwICBgoSIkCA3' +
  'AwADQCAD/QwAAAAAAAAAAFxcXFxcXFxc/VcDAAAhBSAF/QwgICAgICAgICAgICAgICAg/Sb9UwRAQQAPC0H/ASAF/QwiIiIi' +
  'IiIiIiIiIiIiIiIi/SMgBf0MXFxcXFxcXFxcXFxcXFxcXP0j/VD9ZHEhBCABIAUgAiAEQQR0av0ABAD9Dv0LBAAgAUEIIARp' +
  'amohASADQQhqIQMgAyAASQ0ACyABIAMgAGtrCw=='
