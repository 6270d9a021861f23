/** SVG strokes on a 24 × 24 grid. All icons were drawn for Heliograph, so none needs a download or a license. */
const PATHS = {
  ban: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M5.7 5.7l12.6 12.6',
  blank: '',
  building: 'M4 21V5l8-2v18M12 9l8 2v10M2.5 21h19M8 8v.01M8 12v.01M8 16v.01M16 14v.01M16 17.5v.01',
  calendar: 'M4 6h16v14H4zM4 10h16M8 3v5M16 3v5',
  chart: 'M4 20h16M7 20v-7M12 20V5M17 20v-10',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  'chevron-down': 'm6 9 6 6 6-6',
  'chevron-left': 'm15 6-6 6 6 6',
  'chevron-right': 'm9 6 6 6-6 6',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7v5l3.5 2',
  coins:
    'M9 4a6 3 0 1 0 0 6 6 3 0 1 0 0-6M3 7v5c0 1.7 2.7 3 6 3M15 12a6 3 0 1 0 0 6 6 3 0 1 0 0-6M9 15v2c0 1.7 2.7 3 6 3s6-1.3 6-3v-2',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  document: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  edit: 'm5 19 1-4L16.5 4.5l3 3L9 18zM14 7l3 3',
  external: 'M10 5H5v14h14v-5M14 4h6v6M20 4l-9 9',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6',
  flow: 'M4 4h6v5H4zM14 15h6v5h-6zM7 9v8.5h7',
  inbox: 'M4 5h16v14H4zM4 13h4.5l1.5 2.5h4l1.5-2.5H20',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 11v5.5M12 7.5v.01',
  key: 'M8 10a5 5 0 1 0 0 10 5 5 0 0 0 0-10M11.5 11.5 20 3M16 7l3 3',
  list: 'M9 6h11M9 12h11M9 18h11M4.5 6v.01M4.5 12v.01M4.5 18v.01',
  megaphone: 'M4 10v4h3l9 4.5v-13L7 10zM19 9.5c1.3 1.4 1.3 3.6 0 5M8 14l1 5h2.5',
  message: 'M4 5h16v11H10l-4.5 4v-4H4zM8 9h8M8 12h5',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5',
  picture: 'M4 5h16v14H4zM4 16l5-5 4 4 2.5-2.500L20 17M15.500 9v.01',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 4.5v15l12-7.5z',
  plus: 'M12 5v14M5 12h14',
  reply: 'M9 6 4 11l5 5M4 11h10a6 6 0 0 1 6 6v1',
  refresh: 'M20 11a8 8 0 0 0-14.3-4L4 9M4 4.5V9h4.5M4 13a8 8 0 0 0 14.3 4L20 15M20 19.5V15h-4.5',
  route:
    'M6 15.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5M18 3.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5M8.5 18H15a3 3 0 0 0 0-6H9a3 3 0 0 1 0-6h6.5',
  screen: 'M3 4.5h18v12H3zM8.5 20.5h7M12 16.5v4',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5 20.5 20.5',
  send: 'M20.5 3.5 3.5 10l6.5 3.5L14 20zM10 13.5l10.5-10',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5a2 2 0 1 0 0 4 2 2 0 0 0 0-4M9 15a2 2 0 1 0 0 4 2 2 0 0 0 0-4',
  shield: 'M12 3l8 3v6c0 4.5-3.3 7.7-8 9-4.7-1.3-8-4.5-8-9V6z',
  'sign-out': 'M13 5H5v14h8M10 12h11M17 8l4 4-4 4',
  stop: 'M6 6h12v12H6z',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  template: 'M4 4h16v5H4zM4 13h7v7H4zM15 13h5M15 16.5h5M15 20h5',
  tower:
    'M12 9.5v.01M8 13.5a5.5 5.5 0 0 1 0-8M16 13.5a5.5 5.5 0 0 0 0-8M5 16a9.5 9.5 0 0 1 0-13M19 16a9.5 9.5 0 0 0 0-13M12 10l-3.5 11M12 10l3.5 11M10 17h4',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5.5M14 11v5.5',
  upload: 'M12 16V5M7 9l5-5 5 5M4 20h16',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4.5 20.5c.6-4 3.6-6 7.5-6s6.9 2 7.5 6',
  users:
    'M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M2.5 20c.5-3.600 3-5.500 6.500-5.500s6 1.900 6.500 5.500M15.500 5.200a3.500 3.500 0 0 1 0 6.600M18 14.800c2 .8 3.200 2.600 3.500 5.200',
  warning: 'M12 4 2.500 20h19zM12 10v4.500M12 17.300v.01',
  webhook: 'M9 10.500a4 4 0 1 1 5.500 2l3 5.500M7 13a4 4 0 1 0 3 6h5M17.500 19.500v.01M12 8.500l-4.500 8',
  x: 'M6 6l12 12M18 6 6 18',
} as const;

export type IconName = keyof typeof PATHS;

interface IconProps {
  name: IconName;
  /** Pixels, by default 18. */
  size?: number;
  /** Label for screen readers, which skip an icon without a label. */
  label?: string;
}

export function Icon({ name, size = 18, label }: IconProps) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      role={label ? 'img' : 'presentation'}
      aria-label={label}
      aria-hidden={label ? undefined : true}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
