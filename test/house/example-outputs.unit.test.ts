import { describe, expect, it } from 'vitest';
import { checkBlocks } from '../../scripts/lib/examples/block-rules.mjs';
import { normalise } from '../../scripts/lib/examples/changing-values.mjs';
import { compareOutputs } from '../../scripts/lib/examples/outputs.mjs';
import { parseBlocks, readServerSettings, toSteps } from '../../scripts/lib/examples/page-blocks.mjs';
import { formatJson } from '../../scripts/lib/json-text.mjs';

const ID = (digit: number) => `01a226b7-4858-783c-8ccb-7f868597000${digit}`;
const KEY = 'YlSbzWHQ6oCXGtmHGyMjQ8bZ0mRUZ0vKJtw7eFvYb1k';

/** A page whose blocks print the given texts and show others. */
function compare(...pairs: [shown: string, printed: string][]) {
  const page = pairs.map(([shown]) => `\`\`\`bash\ntrue\n\`\`\`\n\n\`\`\`json output\n${shown}\n\`\`\`\n`).join('\n');
  const outputs = toSteps(parseBlocks(page)).map(({ output }, index) => {
    if (!output) throw new Error('the block has no output');
    return { block: output, printed: pairs[index]?.[1] ?? '' };
  });
  return compareOutputs(outputs);
}

describe('blocks of a page', () => {
  it('are grouped by the commands that they belong to, also in a list', () => {
    const page = [
      '# Page',
      '<!-- server: A=1 B="two words" -->',
      '```python [verify.py]\nprint(1)\n```',
      '1. A step:\n\n   ```bash\n   python3 verify.py\n     indented\n   ```\n',
      '   ```text output\n   1\n   ```',
      '```bash\ntrue\n```',
      '```json\n{}\n```',
    ].join('\n');
    const [first, second, ...others] = toSteps(parseBlocks(page));
    expect(first).toMatchObject({
      block: { line: 8, endLine: 11, indent: '   ', text: 'python3 verify.py\n  indented\n' },
      files: [{ file: 'verify.py', text: 'print(1)\n' }],
      output: { language: 'text', text: '1\n' },
    });
    expect(second).toMatchObject({ block: { text: 'true\n' }, files: [], output: null });
    expect(others).toEqual([]);
    expect(readServerSettings(page)).toEqual({ A: '1', B: 'two words' });
    expect(readServerSettings('<!-- server: none -->')).toBeNull();
  });

  it.each([
    ['```sh\ndocker ps\n```', 'needs a reason'],
    ['```sh needs=time\nsleep 1\n```', 'needs a reason'],
    ['```console\n$ ls\n```', 'not `console`'],
    ['```\ncurl -s http://example.com\n```', 'name the language'],
    ['```json output\n{}\n```', 'must follow'],
    ['```bash\ntrue\n```\n```yaml output\n```', '`json output` or `text output`'],
  ])('%j is reported', (text, problem) => {
    expect(checkBlocks('page.md', parseBlocks(text))).toEqual([expect.stringContaining(problem)]);
  });

  it('are accepted with a reason or a language that is not run', () => {
    const text = '```sh needs=docker\ndocker ps\n```\n```nginx\nlisten 80;\n```\n```\nnpm start\n```\n';
    expect(checkBlocks('page.md', parseBlocks(text))).toEqual([]);
  });
});

describe('formatJson', () => {
  it('writes what fits on one line, and keeps numbers and strings as they are', () => {
    expect(formatJson('{"a":1.50,"b":["x\\u00e9",{}],"c":[]}')).toBe('{"a": 1.50, "b": ["x\\u00e9", {}], "c": []}');
    const long = 'y'.repeat(90);
    expect(formatJson(`{"list":[1,2],"text":"${long}"}`)).toBe(`{\n  "list": [1, 2],\n  "text": "${long}"\n}`);
  });

  it('writes values that follow each other, as several commands print them, on lines of their own', () => {
    expect(formatJson('{"a":1}{"b":2}\n[3]')).toBe('{"a": 1}\n{"b": 2}\n[3]');
  });

  it.each(['{"a":}', '{"a":1', 'Not found', '{a:1}', '"'])('refuses %s', (text) => {
    expect(() => formatJson(text)).toThrow(SyntaxError);
  });
});

describe('normalise', () => {
  it.each([
    [`id ${ID(1)}`, 'id ‹uuid›'],
    [`hg_live_${KEY} hg_secret_${KEY}`, '‹key› ‹key›'],
    ['…b1k_', '‹keyEnding›'],
    ['"whsec_RmJgjg7CNeOqqKSg3rzSKglyTdKZLrh3pdt52g/j3Nc="', '"‹secret›"'],
    ['v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=', '‹signature›'],
    ['"wamid.AaImt1Q0c76Y6/yogNdSEA=="', '"‹messageId›"'],
    ['SM01a226b74858783c8ccb7f8685970001', '‹sid›'],
    ['2026-11-29T09:51:07.850Z, 2026-11-29 09:51, 2026-11-29', '‹time›, ‹time›, ‹date›'],
    ['Date: Sat, 21 Nov 2026 08:30:00 GMT', 'Date: ‹httpDate›'],
    ['{"at":1795249800,"ms":1795249800123}', '{"at":‹epoch›,"ms":‹epoch›}'],
    ['122968989249233', '‹graphId›'],
    ['x-request-id: 0a1b2c3d4e5f-1z', 'x-request-id: ‹requestId›'],
    [`#token=${KEY}`, '#token=‹token›'],
    ['http://127.0.0.1:34815/events', 'http://127.0.0.1:‹port›/events'],
    ['14155550123 +442079460123 10000.00 message.received', '14155550123 +442079460123 10000.00 message.received'],
    ['http://127.0.0.1:3000/api/v1/messages/status', 'http://127.0.0.1:3000/api/v1/messages/status'],
  ])('%s becomes %s', (text, expected) => {
    expect(normalise(text)).toBe(expected);
  });
});

describe('compareOutputs', () => {
  it('accepts another ID and time if equal IDs stay equal', () => {
    const shown = `{"id": "${ID(1)}", "parent": "${ID(1)}", "at": "2026-01-01T00:00:00.000Z"}`;
    const same = `{"id":"${ID(2)}","parent":"${ID(2)}","at":"2026-02-02T00:00:00.000Z"}`;
    const other = `{"id":"${ID(2)}","parent":"${ID(3)}","at":"2026-02-02T00:00:00.000Z"}`;
    expect(compare([shown, same])).toMatchObject([{ isEqual: true, text: `${shown}\n` }]);
    expect(compare([shown, other])).toMatchObject([{ isEqual: false }]);
  });

  it('requires the same ID in all outputs of a page', () => {
    const shown = `{"id": "${ID(1)}"}`;
    const results = compare([shown, `{"id":"${ID(2)}"}`], [shown, `{"id":"${ID(3)}"}`], [shown, `{"id":"${ID(2)}"}`]);
    expect(results.map(({ isEqual }) => isEqual)).toEqual([true, false, true]);
  });

  it('keeps lines that did not change, and shows the IDs of other outputs in new lines', () => {
    const long = 'y'.repeat(90);
    const shown = `{\n  "id": "${ID(1)}",\n  "text": "${long}"\n}`;
    const printed = `{"id":"${ID(5)}","more":"${ID(6)}","text":"${long}"}`;
    const [first, second] = compare([shown, printed], [`{"more": "${ID(2)}"}`, `{"more":"${ID(6)}"}`]);
    expect(first?.text).toBe(`{\n  "id": "${ID(1)}",\n  "more": "${ID(2)}",\n  "text": "${long}"\n}\n`);
    expect(first?.difference.filter((line) => !line.startsWith(' '))).toEqual([`+   "more": "${ID(2)}",`]);
    expect(second).toMatchObject({ isEqual: true });
  });

  it('fills an empty block', () => {
    expect(compare(['', '{"a":1}'])).toMatchObject([{ isEqual: false, text: '{"a": 1}\n' }]);
  });

  it('reports what is not JSON', () => {
    expect(compare(['{}', 'curl: (7) Failed'])).toMatchObject([
      { isEqual: false, text: '{}\n', problem: expect.stringContaining('Not valid JSON') },
    ]);
  });
});
