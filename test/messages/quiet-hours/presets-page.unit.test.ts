import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { formatTime, MS_PER_MINUTE } from '../../../src/messages/quiet-hours/local-time.js';
import type { RulePreset, Window } from '../../../src/messages/quiet-hours/rule.js';
import { RULE_PRESETS } from '../../../src/messages/quiet-hours/rules/presets.js';
import { PROJECT_FOLDER } from '../../support/processes/server-process.js';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

const toClock = (minutes: number) => (minutes === 1440 ? '24:00' : formatTime({ msOfDay: minutes * MS_PER_MINUTE }));

function describeWindow({ days, from, to }: Window): string {
  const [first = 0, last = 0] = [days[0], days.at(-1)];
  const names = days.length === 7 ? 'daily' : days.length === 1 ? DAYS[first] : `${DAYS[first]} to ${DAYS[last]}`;
  return `${names} ${toClock(from)} to ${toClock(to)}`;
}

function toRow({ id, name, windows, holidays, citation, source, effectiveFrom, note }: RulePreset): string {
  const hours = windows.map(describeWindow).join(', ') + (holidays ? ', not on public holidays' : '');
  return `| \`${id}\` | ${name} | ${hours} | [${citation}](${source})${note ? `. ${note}` : ''} | ${effectiveFrom} |`;
}

it('the page about quiet hours lists every preset with its hours, its law and the date', () => {
  const page = readFileSync(join(PROJECT_FOLDER, 'docs/send/quiet-hours.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows.filter((row) => RULE_PRESETS.some(({ id }) => row.startsWith(`| \`${id}\` `)))).toEqual(
    RULE_PRESETS.map(toRow),
  );
});
