import { expect, it } from 'vitest';
import { CodeSeal, insertCode, maskText } from '../../../src/messages/sign-in-codes/code-seal.js';

it('the same code has another hash in each verification', () => {
  const seal = new CodeSeal(['secret']);
  const [first, second] = ['a', 'b'].map((verificationId) => seal.seal('123456', verificationId).hash);
  expect(first).not.toEqual(second);
});

it('a code text with quotation marks and line breaks is restored in the content of a message', () => {
  const text = 'Your "code"\nis 123456 \\';
  const content = { template: { parameters: [maskText(text)] } };
  expect(insertCode({ body: maskText(text), content }, text)).toEqual({
    body: text,
    content: { template: { parameters: [text] } },
  });
});
