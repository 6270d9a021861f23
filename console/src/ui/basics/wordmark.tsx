import { Link } from '@tanstack/react-router';
import { text } from '../../text/en.js';
import classes from './wordmark.module.css';

export function Wordmark() {
  return (
    <Link to="/" className={classes.wordmark} aria-label={text.shell.home}>
      <Mark />
      <span className="wide-only">{text.shell.name}</span>
    </Link>
  );
}

export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#b45309" />
      <circle cx="16" cy="16" r="5" fill="#fff" />
      <path
        d="M16 5v3M16 24v3M5 16h3M24 16h3M8.2 8.2l2.1 2.1M21.7 21.7l2.1 2.1M8.2 23.8l2.1-2.1M21.7 10.3l2.1-2.1"
        stroke="#fff"
        strokeWidth="2.5"
        strokeLinecap="round"
      />
    </svg>
  );
}
