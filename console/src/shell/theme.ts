import {
  ActionIcon,
  CloseButton,
  type CSSVariablesResolver,
  createTheme,
  Drawer,
  type MantineColorsTuple,
  Modal,
  Tooltip,
} from '@mantine/core';
import { text } from '../text/en.js';

/** Color of the signal mirror that Heliograph is named after. */
const amber: MantineColorsTuple = [
  '#fff8eb',
  '#feeccb',
  '#fcd893',
  '#fac15a',
  '#f6ab31',
  '#e08d12',
  '#c8760b',
  '#b0600a',
  '#94500c',
  '#733e0c',
];

/** Mantine's close button has no accessible name. */
const CLOSE_LABEL = { 'aria-label': text.common.close };
/** Without the role, assistive technology mistakes a dialog's header for the page's banner. */
const DIALOG = { closeButtonProps: CLOSE_LABEL, attributes: { header: { role: 'presentation' } } };

/**
 * The primary color is a darker shade, because Mantine's default shades lack the contrast for text (WCAG AA). `autoContrast`
 * chooses black or white text on the primary color.
 */
export const theme = createTheme({
  primaryColor: 'amber',
  primaryShade: 8,
  autoContrast: true,
  colors: { amber },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.15rem' } } },
  components: {
    CloseButton: CloseButton.extend({ defaultProps: { ...CLOSE_LABEL } }),
    Modal: Modal.extend({
      defaultProps: { ...DIALOG, centered: true },
      styles: { title: { fontWeight: 650 } },
    }),
    Drawer: Drawer.extend({ defaultProps: DIALOG }),
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray' } }),
    Tooltip: Tooltip.extend({ defaultProps: { events: { hover: true, focus: true, touch: true } } }),
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#596069',
    '--mantine-color-placeholder': '#6a7077',
    '--mantine-color-anchor': '#8a4a08',
    '--mantine-color-error': '#b42318',
    '--mantine-color-amber-light-color': '#733e0c',
    '--mantine-color-blue-light-color': '#14528f',
    '--mantine-color-gray-light-color': '#454b52',
    '--mantine-color-green-light-color': '#1b5e2b',
    '--mantine-color-orange-light-color': '#8a3c00',
    '--mantine-color-red-light-color': '#a11212',
    '--mantine-color-teal-light-color': '#075e48',
    '--mantine-color-violet-light-color': '#5028c0',
    '--mantine-color-yellow-light-color': '#6b4a00',
  },
  dark: {
    '--mantine-color-dimmed': '#a9b0b8',
    '--mantine-color-placeholder': '#969da5',
    '--mantine-color-anchor': '#fac15a',
    '--mantine-color-error': '#ff8a80',
  },
});
