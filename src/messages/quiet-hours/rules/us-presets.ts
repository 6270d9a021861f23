import type { RulePreset } from '../rule.js';
import { EVERY_DAY, MONDAY_TO_FRIDAY, MONDAY_TO_SATURDAY, on, SATURDAY, SUNDAY, WRITTEN_FOR_CALLS } from './windows.js';

type UsPreset = Pick<RulePreset, 'name' | 'windows' | 'citation' | 'source' | 'effectiveFrom'> &
  Partial<Pick<RulePreset, 'holidays' | 'note'>>;

function inState(region: string, preset: UsPreset): RulePreset {
  const label = `US-${region}`;
  return {
    ...{ id: label.toLowerCase(), label, countries: ['US'], region, holidays: null, closedDates: [], note: null },
    ...preset,
  };
}

/** The federal rule, and the states with stricter hours. */
export const US_PRESETS: readonly RulePreset[] = [
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
  inState('KY', {
    name: 'Kentucky',
    windows: [on(EVERY_DAY, 10, 21)],
    citation: 'KRS 367.46955(16)',
    source: 'https://ag.ky.gov/Priorities/Protecting-Kentuckians/Consumers/resources/Pages/statutes.aspx',
    effectiveFrom: '2024',
    note: WRITTEN_FOR_CALLS,
  }),
  inState('LA', {
    name: 'Louisiana',
    windows: [on(MONDAY_TO_SATURDAY, 8, 20)],
    holidays: 'us-la',
    citation: 'Louisiana Public Service Commission, General Order R-29617, section V(A); La. R.S. 45:844.12',
    source: 'https://lpsc.louisiana.gov/DNC_Emergency',
    effectiveFrom: '2018',
    note: 'Covers voice and data communication. Days that the governor proclaims as holidays are not included.',
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
  inState('MI', {
    name: 'Michigan',
    windows: [on(EVERY_DAY, 9, 21)],
    citation: 'MCL 750.540e(1)(f)',
    source: 'https://www.legislature.mi.gov/Laws/MCL?objectName=mcl-750-540e',
    effectiveFrom: '2026',
    note: 'A criminal law about malicious calls, which names unsolicited commercial calls. Applying it to messages is the cautious reading.',
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
    windows: [on(MONDAY_TO_SATURDAY, 8, 20)],
    citation: 'Mississippi Telephone Solicitation Act, Miss. Code § 77-3-723(1)',
    source: 'https://billstatus.ls.state.ms.us/documents/2017/html/HB/0400-0499/HB0450PS.htm',
    effectiveFrom: '2026',
    note: 'The law gives the hours in Central Standard Time. The clock of the recipient counts here.',
  }),
  inState('NM', {
    name: 'New Mexico',
    windows: [on(EVERY_DAY, 9, 21)],
    citation: 'Unfair Practices Act, NMSA 1978, § 57-12-22(B)(5)',
    source: 'https://nmonesource.com/nmos/nmsa/en/item/4403/index.do#!b/57-12-22',
    effectiveFrom: '2006',
    note: WRITTEN_FOR_CALLS,
  }),
  inState('NV', {
    name: 'Nevada',
    windows: [on(EVERY_DAY, 9, 20)],
    citation: 'NRS 598.0918(3)',
    source: 'https://www.leg.state.nv.us/NRS/NRS-598.html#NRS598Sec0918',
    effectiveFrom: '2026',
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
    citation: 'HB 3865 (2025), ORS 646.563',
    source: 'https://olis.oregonlegislature.gov/liz/2025R1/Measures/Overview/HB3865',
    effectiveFrom: '2026-01-01',
  }),
  inState('PA', {
    name: 'Pennsylvania',
    windows: [on(MONDAY_TO_SATURDAY, 9, 19)],
    holidays: 'us-pa',
    citation: 'Telemarketer Registration Act, 73 P.S. § 2245(a), as amended by Act 47 of 2026 (SB 992)',
    source: 'https://www.palegis.us/legislation/bills/2025/sb992',
    effectiveFrom: '2026-10-18',
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
  inState('SD', {
    name: 'South Dakota',
    windows: [on(MONDAY_TO_SATURDAY, 9, 21)],
    citation: 'SDCL 37-30A-3(2)',
    source: 'https://sdlegislature.gov/Statutes/37-30A-3',
    effectiveFrom: '2026',
    note: WRITTEN_FOR_CALLS,
  }),
  inState('TX', {
    name: 'Texas',
    windows: [on(MONDAY_TO_SATURDAY, 9, 21), on(SUNDAY, 12, 21)],
    citation: 'Tex. Bus. & Com. Code § 301.051',
    source: 'https://statutes.capitol.texas.gov/Docs/BC/htm/BC.301.htm',
    effectiveFrom: '2025-09-01',
    note: 'Written for phone calls. SB 140 (2025) extended other chapters of the law to text messages, so the hours are usually taken to apply to them.',
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
    note: WRITTEN_FOR_CALLS,
  }),
  inState('WY', {
    name: 'Wyoming',
    windows: [on(EVERY_DAY, 8, 20)],
    citation: 'Wyo. Stat. § 40-12-302(d)',
    source: 'https://wyoleg.gov/statutes/compress/title40.pdf',
    effectiveFrom: '2026',
    note: WRITTEN_FOR_CALLS,
  }),
];
