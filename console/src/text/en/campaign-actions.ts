export const campaignActions = {
  test: 'Send test',
  testContact: 'Values of contact',
  testContactHint:
    'The contact’s values replace the placeholders. Without a contact, placeholders get their fallbacks.',
  testContactNone: 'No contacts found',
  testHint: 'Tests are real messages, which you pay for. They do not count in the results of the campaign.',
  testNumbers: 'Your numbers',
  testNumbersHint: 'Up to 5 numbers with country code, separated by commas.',
  testSend: 'Send test now',
  testSent: (count: number) => (count === 1 ? 'The test was sent.' : `The test was sent to ${count} numbers.`),
  testTitle: 'Send a test',
  testVariant: 'Variant',
};
