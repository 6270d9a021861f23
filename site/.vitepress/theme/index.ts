// Uses the fonts of the reader's system, as the console does.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
