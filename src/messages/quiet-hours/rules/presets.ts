import type { RulePreset, Weekday, Window } from '../rule.js';

const EVERY_DAY: readonly Weekday[] = [0, 1, 2, 3, 4, 5, 6];
const MONDAY_TO_FRIDAY: readonly Weekday[] = [1, 2, 3, 4, 5];
const MONDAY_TO_SATURDAY: readonly Weekday[] = [1, 2, 3, 4, 5, 6];
const SATURDAY: readonly Weekday[] = [6];
const SUNDAY: readonly Weekday[] = [0];

const on = (days: readonly Weekday[], fromHour: number, toHour: number): Window => ({
  days,
  from: fromHour * 60,
  to: toHour * 60,
});

type UsPreset = Pick<RulePreset, 'name' | 'windows' | 'citation' | 'source' | 'effectiveFrom'> &
  Partial<Pick<RulePreset, 'holidays' | 'note'>>;

function inState(region: string, preset: UsPreset): RulePreset {
  const label = `US-${region}`;
  return {
    ...{ id: label.toLowerCase(), label, countries: ['US'], region, holidays: null, closedDates: [], note: null },
    ...preset,
  };
}

const WRITTEN_FOR_CALLS = 'The law was written for phone calls. Applying it to messages is the cautious reading.';

/**
 * Rules for one country or US state each, with the law that sets their hours. Laws of other states are not included.
 */
export const RULE_PRESETS: readonly RulePreset[] = [
  {
    id: 'us',
    label: 'US',
    name: 'United States (federal)',
    /** The territories are part of the United States (47 U.S.C. § 153(58)). */
    countries: ['US', 'PR', 'GU', 'VI', 'AS', 'MP'],
    region: null,
    windows: [on(EVERY_DAY, 8, 21)],
    holidays: null,
    closedDates: [],
    citation: 'Telephone Consumer Protection Act, 47 CFR § 64.1200(c)(1)',
    source: 'https://www.ecfr.gov/current/title-47/section-64.1200',
    effectiveFrom: '1992-12-20',
    note: null,
  },
  inState('CT', {
    name: 'Connecticut',
    windows: [on(EVERY_DAY, 9, 20)],
    citation: 'Conn. Gen. Stat. § 42-288a, as amended by Public Act 23-98',
    source: 'https://cga.ct.gov/current/pub/chap_743m.htm',
    effectiveFrom: '2023-10-01',
  }),
  inState('FL', {
    name: 'Florida',
    windows: [on(EVERY_DAY, 8, 20)],
    citation: 'Fla. Stat. § 501.616(6)(a)',
    source: 'https://flsenate.gov/Session/Bill/2021/1120/BillText/er/HTML',
    effectiveFrom: '2021-07-01',
  }),
  inState('MA', {
    name: 'Massachusetts',
    windows: [on(EVERY_DAY, 8, 20)],
    citation: 'Mass. Gen. Laws ch. 159C, § 3; 201 CMR 12.02(2)',
    source: 'https://malegislature.gov/Laws/GeneralLaws/PartI/TitleXXII/Chapter159C/Section3',
    effectiveFrom: '2003-01-01',
    note: WRITTEN_FOR_CALLS,
  }),
  inState('MD', {
    name: 'Maryland',
    windows: [on(EVERY_DAY, 8, 20)],
    citation: 'Stop the Spam Calls Act of 2023, Md. Code, Com. Law § 14-4502',
    source: 'https://mgaleg.maryland.gov/mgawebsite/Legislation/Details/sb0090?ys=2023RS',
    effectiveFrom: '2024-01-01',
  }),
  inState('MN', {
    name: 'Minnesota',
    windows: [on(EVERY_DAY, 9, 21)],
    citation: 'Minn. Stat. § 325E.30',
    source: 'https://www.revisor.mn.gov/statutes/cite/325E.30',
    effectiveFrom: '1987',
    note: WRITTEN_FOR_CALLS,
  }),
  inState('MS', {
    name: 'Mississippi',
    windows: [on(MONDAY_TO_SATURDAY, 8, 21)],
    citation: 'Mississippi Telephone Solicitation Act, Miss. Code § 77-3-723(1)',
    source: 'https://billstatus.ls.state.ms.us/documents/2017/html/HB/0400-0499/HB0450PS.htm',
    effectiveFrom: '2003',
  }),
  inState('OK', {
    name: 'Oklahoma',
    windows: [on(EVERY_DAY, 8, 20)],
    citation: 'Telephone Solicitation Act of 2022, 15 O.S. § 775C.4',
    source: 'https://www.oklegislature.gov/BillInfo.aspx?Bill=HB3168&Session=2200',
    effectiveFrom: '2022-11-01',
  }),
  inState('OR', {
    name: 'Oregon',
    windows: [on(EVERY_DAY, 8, 20)],
    citation: 'HB 3865 (2025)',
    source: 'https://olis.oregonlegislature.gov/liz/2025R1/Measures/Overview/HB3865',
    effectiveFrom: '2026-01-01',
  }),
  inState('RI', {
    name: 'Rhode Island',
    windows: [on(MONDAY_TO_FRIDAY, 9, 18), on(SATURDAY, 10, 17)],
    holidays: 'us-ri',
    citation: 'R.I. Gen. Laws §§ 5-61-2 and 5-61-3.6',
    source: 'http://webserver.rilin.state.ri.us/Statutes/TITLE5/5-61/5-61-3.6.HTM',
    effectiveFrom: '1999',
    note: WRITTEN_FOR_CALLS,
  }),
  inState('TX', {
    name: 'Texas',
    windows: [on(MONDAY_TO_SATURDAY, 9, 21), on(SUNDAY, 12, 21)],
    citation: 'Tex. Bus. & Com. Code § 301.051; text messages by SB 140 (2025)',
    source: 'https://statutes.capitol.texas.gov/Docs/BC/htm/BC.301.htm',
    effectiveFrom: '2025-09-01',
  }),
  inState('UT', {
    name: 'Utah',
    windows: [on(MONDAY_TO_SATURDAY, 8, 21)],
    holidays: 'us-ut',
    citation: 'Utah Code § 13-25a-103(3)',
    source: 'https://le.utah.gov/xcode/Title13/Chapter25A/13-25a-S103.html',
    effectiveFrom: '2025-01-01',
    note: WRITTEN_FOR_CALLS,
  }),
  inState('WA', {
    name: 'Washington',
    windows: [on(EVERY_DAY, 8, 20)],
    citation: 'RCW 19.158.040(2)',
    source: 'https://app.leg.wa.gov/RCW/default.aspx?cite=19.158.040',
    effectiveFrom: '2022-06-09',
  }),
  {
    id: 'fr',
    label: 'FR',
    name: 'France',
    /** Hours are those of the consumer's zone, so the overseas departments have the same rule. */
    countries: ['FR', 'GP', 'MQ', 'GF', 'RE', 'YT'],
    region: null,
    windows: [on(MONDAY_TO_FRIDAY, 10, 13), on(MONDAY_TO_FRIDAY, 14, 20)],
    holidays: 'fr',
    closedDates: [],
    citation: 'Code de la consommation, art. D. 223-9 (décret n° 2022-1313)',
    source: 'https://www.legifrance.gouv.fr/jorf/id/JORFTEXT000046421823',
    effectiveFrom: '2023-03-01',
    note: 'Written for phone calls, and stricter than the hours that French operators set for messages. French operators publish no official text; add your own rule to follow their hours.',
  },
  {
    id: 'in',
    label: 'IN',
    name: 'India',
    countries: ['IN'],
    region: null,
    windows: [on(EVERY_DAY, 10, 21)],
    holidays: null,
    closedDates: [],
    citation: 'TRAI, Telecom Commercial Communications Customer Preference Regulations, 2018',
    source: 'https://www.trai.gov.in/sites/default/files/RegulationUcc19072018.pdf',
    effectiveFrom: '2018-07-19',
    note: null,
  },
  {
    id: 'kr',
    label: 'KR',
    name: 'South Korea',
    countries: ['KR'],
    region: null,
    windows: [on(EVERY_DAY, 8, 21)],
    holidays: null,
    closedDates: [],
    citation: 'Act on Promotion of Information and Communications Network Utilization, art. 50(3)',
    source: 'https://elaw.klri.re.kr/eng_mobile/viewer.do?hseq=60899&type=part&key=43',
    effectiveFrom: '2014-11-29',
    note: 'People who gave separate consent to messages at night may get them.',
  },
  {
    id: 'za',
    label: 'ZA',
    name: 'South Africa',
    countries: ['ZA'],
    region: null,
    windows: [on(MONDAY_TO_FRIDAY, 8, 20), on(SATURDAY, 9, 13)],
    holidays: 'za',
    closedDates: [],
    citation: 'Consumer Protection Act 68 of 2008, section 12, and notice R. 293 of 2011',
    source: 'https://www.gov.za/documents/consumer-protection-act-regulations',
    effectiveFrom: '2011-04-01',
    note: 'Covers direct marketing to people at home.',
  },
];
