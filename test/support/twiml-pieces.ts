/** Parts of TwiML from which tests build valid and broken documents. */
export const TWIML_PIECES: readonly string[] = [
  '<Response>',
  '<Message',
  '>',
  '</Message>',
  '&',
  ';',
  '"',
  "'",
  '<!',
  '--',
  '<?',
  ' a="',
  'x',
  ']]>',
];
