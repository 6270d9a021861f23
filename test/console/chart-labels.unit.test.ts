import { expect, it } from 'vitest';
import { wrapLabel } from '../../console/src/ui/charts/chart-labels.js';

it.each([
  ['United Kingdom +44', ['United Kingdom +44']],
  ['United States and others +1', ['United States and', 'others +1']],
  ['South Georgia & South Sandwich Islands +500', ['South Georgia &', 'South Sandwich', 'Islands +500']],
  ['Liechtenstein +423', ['Liechtenstein +423']],
  ['smsc-frankfurt-of-the-second-kind', ['smsc-frankfurt-of-', 'the-second-kind']],
  ['Donaudampfschifffahrtsgesellschaft +43', ['Donaudampfschifffahrtsgesellschaft', '+43']],
  ['', []],
])('the chart label %j is wrapped without breaking words', (name, lines) => {
  expect(wrapLabel(name)).toEqual(lines);
});
