import { CopyButton } from '../../../ui/forms/copy-field.js';
import classes from './code-block.module.css';

interface CodeBlockProps {
  label: string;
  /** Whether to wrap long lines; lines of code should not be wrapped. */
  wrap?: boolean;
  children: string;
}

export function CodeBlock({ label, wrap = false, children }: CodeBlockProps) {
  return (
    <div className={classes.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it. */}
      <section className={classes.code} tabIndex={0} aria-label={label} data-wrap={wrap || undefined}>
        <pre>{children}</pre>
      </section>
      <div className={classes.copy}>
        <CopyButton value={children} size="compact-xs" />
      </div>
    </div>
  );
}
