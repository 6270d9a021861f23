import { expect, it } from 'vitest';
import { parseUnitEnvironment } from '../../src/platform/machine/unit-environment.js';

it('parseUnitEnvironment parses a file like systemd and expands nothing', () => {
  const text = [
    '# a comment',
    '  ; another \\',
    'still the comment',
    'DATABASE_URL=postgresql://u:p@db/heliograph?sslmode=require&application_name=x#y  ',
    'DOUBLE="a \\"b\\" \\$c \\d # e"',
    'SINGLE=\'a \\ "b" $c\'',
    'JOINED="a b"\'c d\'e',
    'PLAIN= two words ',
    'CONTINUED=one \\',
    'two',
    'ESCAPED=a\\ b\\\\c',
    'EMPTY=',
    'no equals sign',
    'export WRONG=1',
    'TWICE=1',
    'TWICE=2',
    'LAST="more',
    'than one line"',
  ].join('\n');
  expect(parseUnitEnvironment(text)).toEqual({
    DATABASE_URL: 'postgresql://u:p@db/heliograph?sslmode=require&application_name=x#y',
    DOUBLE: 'a "b" $c \\d # e',
    SINGLE: 'a \\ "b" $c',
    JOINED: 'a bc de',
    PLAIN: 'two words',
    CONTINUED: 'one two',
    ESCAPED: 'a b\\c',
    EMPTY: '',
    TWICE: '2',
    LAST: 'more\nthan one line',
  });
  expect(parseUnitEnvironment('A=1\r\nB=2\r\n')).toEqual({ A: '1', B: '2' });
});
