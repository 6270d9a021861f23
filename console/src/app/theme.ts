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

/** Of the signal mirror that gave Heliograph its name. */
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

/** Mantine draws a cross and gives it no name. */
const CLOSE_LABEL = { 'aria-label': text.common.close };

/**
 * Mantine's own shades fail WCAG AA for text, so that darker ones are the base; `autoContrast` chooses black or white
 * on top of them.
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
    Modal: Modal.extend({ defaultProps: { closeButtonProps: CLOSE_LABEL, centered: true } }),
    Drawer: Drawer.extend({ defaultProps: { closeButtonProps: CLOSE_LABEL } }),
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray' } }),
    Tooltip: Tooltip.extend({ defaultProps: { events: { hover: true, focus: true, touch: true } } }),
  },
});

/** What of Mantine's variables is too pale to read. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#596069',
    '--mantine-color-placeholder': '#6a7077',
    '--mantine-color-anchor': '#8a4a08',
    '--mantine-color-error': '#b42318',
  },
  dark: {
    '--mantine-color-dimmed': '#a9b0b8',
    '--mantine-color-placeholder': '#969da5',
    '--mantine-color-anchor': '#fac15a',
    '--mantine-color-error': '#ff8a80',
  },
});
