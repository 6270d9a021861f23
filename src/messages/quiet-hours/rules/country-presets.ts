import type { RulePreset } from '../rule.js';
import { EVERY_DAY, MONDAY_TO_FRIDAY, on, SATURDAY, WEEKEND } from './windows.js';

type CountryPreset = Omit<RulePreset, 'id' | 'label' | 'countries' | 'region' | 'holidays' | 'closedDates' | 'note'> &
  Partial<Pick<RulePreset, 'countries' | 'holidays' | 'note'>>;

function inCountry(label: string, preset: CountryPreset): RulePreset {
  return {
    ...{
      id: label.toLowerCase(),
      label,
      countries: [label],
      region: null,
      holidays: null,
      closedDates: [],
      note: null,
    },
    ...preset,
  };
}

export const COUNTRY_PRESETS: readonly RulePreset[] = [
  inCountry('CA', {
    name: 'Canada',
    windows: [on(MONDAY_TO_FRIDAY, 9, 21.5), on(WEEKEND, 10, 18)],
    citation: 'CRTC Unsolicited Telecommunications Rules, Part III, rule 23',
    source: 'https://crtc.gc.ca/eng/trules-reglest.htm',
    effectiveFrom: '2008-09-30',
    note: 'Written for phone calls and faxes. Applying it to messages is the cautious reading.',
  }),
  inCountry('CO', {
    name: 'Colombia',
    windows: [on(MONDAY_TO_FRIDAY, 7, 19), on(SATURDAY, 8, 15)],
    holidays: 'co',
    citation: 'Ley 2300 de 2023, art. 3 and 5',
    source: 'https://www.funcionpublica.gov.co/eva/gestornormativo/norma.php?i=213990',
    effectiveFrom: '2023-10-10',
  }),
  inCountry('ES', {
    name: 'Spain',
    windows: [on(MONDAY_TO_FRIDAY, 9, 21)],
    holidays: 'es',
    citation: 'Real Decreto Legislativo 1/2007, art. 96.2',
    source: 'https://www.boe.es/buscar/act.php?id=BOE-A-2007-20555',
    effectiveFrom: '2022',
    note: 'The law was written for phone calls. Applying it to messages is the cautious reading. Holidays of regions and towns are not included.',
  }),
  inCountry('FR', {
    name: 'France',
    /** Hours are those of the consumer's zone, so the overseas departments have the same rule. */
    countries: ['FR', 'GP', 'MQ', 'GF', 'RE', 'YT'],
    windows: [on(MONDAY_TO_FRIDAY, 10, 13), on(MONDAY_TO_FRIDAY, 14, 20)],
    holidays: 'fr',
    citation: 'Code de la consommation, art. D. 223-9 (décret n° 2022-1313)',
    source: 'https://www.legifrance.gouv.fr/jorf/id/JORFTEXT000046421823',
    effectiveFrom: '2023-03-01',
    note: 'Written for phone calls, and stricter than the hours that French operators set for messages. French operators publish no official text; add your own rule to follow their hours.',
  }),
  inCountry('IN', {
    name: 'India',
    windows: [on(EVERY_DAY, 10, 21)],
    citation: 'TRAI, Telecom Commercial Communications Customer Preference Regulations, 2018',
    source: 'https://www.trai.gov.in/sites/default/files/RegulationUcc19072018.pdf',
    effectiveFrom: '2018-07-19',
  }),
  inCountry('KR', {
    name: 'South Korea',
    windows: [on(EVERY_DAY, 8, 21)],
    citation: 'Act on Promotion of Information and Communications Network Utilization, art. 50(3)',
    source: 'https://elaw.klri.re.kr/eng_mobile/viewer.do?hseq=60899&type=part&key=43',
    effectiveFrom: '2014-11-29',
    note: 'People who gave separate consent to messages at night may get them.',
  }),
  inCountry('ZA', {
    name: 'South Africa',
    windows: [on(MONDAY_TO_FRIDAY, 8, 20), on(SATURDAY, 9, 13)],
    holidays: 'za',
    citation: 'Consumer Protection Act 68 of 2008, section 12, and notice R. 293 of 2011',
    source: 'https://www.gov.za/documents/consumer-protection-act-regulations',
    effectiveFrom: '2011-04-01',
    note: 'Covers direct marketing to people at home. Public holidays that are declared for a single year are not included.',
  }),
];
