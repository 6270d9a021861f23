import { CopyButton } from '../../../ui/forms/copy-field.js';
import classes from './code-block.module.css';

interface CodeBlockProps {
  label: string;
  /** Whether long lines go on in the next one, where nobody copies them line by line. */
  wrap?: boolean;
  children: string;
}

/** Text of a program, with a button that copies it. It can be scrolled with the keyboard. */
export function CodeBlock({ label, wrap = false, children }: CodeBlockProps) {
  return (
    <div className={classes.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      <section className={classes.code} tabIndex={0} aria-label={label} data-wrap={wrap || undefined}>
        <pre>{children}</pre>
      </section>
      <div className={classes.copy}>
        <CopyButton value={children} size="compact-xs" />
      </div>
    </div>
  );
}
