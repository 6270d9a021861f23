// Without fonts: those of the reader's own system, as in the console.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
