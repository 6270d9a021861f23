import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTwiml } from '../../../src/features/webhooks/twilio/twiml.js';
import { TWIML_PIECES } from '../../support/twiml-pieces.js';

const listBodies = (answer: string) => {
  const twiml = readTwiml(answer);
  return 'messages' in twiml ? twiml.messages.map(({ body }) => body) : twiml.problem;
};

describe('readTwiml', () => {
  it.each([
    ['', []],
    ['OK', []],
    ['{"ok": true}', []],
    ['<Response/>', []],
    ['<Response></Response>', []],
    ['\uFEFF<?xml version="1.0"?>\n<Response>\n  <Message>a</Message>\n</Response>\n', ['a']],
    ['<Response><Message to="+1" from=\'x\'><Body>a &lt;b&gt; &#65;&#x42;</Body></Message></Response>', ['a <b> AB']],
    ['<Response><Message><![CDATA[1 < 2 & 3]]></Message><Message/></Response>', ['1 < 2 & 3']],
    ['<Response><Message>a<!-- no -->b</Message></Response><!-- end -->', ['ab']],
    ['<Response><Message>line\nline</Message></Response>', ['line\nline']],
  ])('the TwiML %j is read', (answer, expected) => {
    expect(listBodies(answer)).toEqual(expected);
  });

  it.each([
    ['<html><body>x</body></html>', 'root'],
    ['<Response><Message>a</Response>', 'closes nothing'],
    ['<Response><Message>a</Message>', 'not closed'],
    ['<Response>a</Response>', 'text in <Response>'],
    ['<Response></Response><Response/>', 'follows'],
    ['<Response><Message a=b>x</Message></Response>', 'malformed'],
    ['<Response><Message>&nbsp;</Message></Response>', 'entity'],
    ['<Response><Message>a & b</Message></Response>', 'entity'],
    ['<Response><Message>&#0;</Message></Response>', 'entity'],
    ['<Response><Message>a\0b</Message></Response>', 'NUL'],
    ['<Response><Message>&#xD800;</Message></Response>', 'entity'],
    ['<!DOCTYPE Response SYSTEM "http://127.0.0.1/x"><Response/>', 'document type'],
    ['<Response><Redirect>x</Redirect></Response>', 'not supported'],
    ['<Response><!-- a', '-->'],
  ])('the error explains what is wrong with the TwiML %j', (answer, explanation) => {
    expect(listBodies(answer)).toContain(explanation);
  });

  it('returns every text unchanged, and never throws', () => {
    const escapeMarkup = (text: string) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.includes('\0'));
        expect(listBodies(`<Response><Message>${escapeMarkup(text)}</Message></Response>`)).toEqual(
          text.trim() === '' ? [] : [text.trim()],
        );
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...TWIML_PIECES), { maxLength: 40 }), (parts) => {
        expect(readTwiml(parts.join(''))).toBeTypeOf('object');
      }),
    );
  });
});
