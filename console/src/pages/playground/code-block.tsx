import { CopyButton } from '../../ui/copy-field.js';
import classes from './code-block.module.css';

/** Text of a program, with a button that copies it. It can be scrolled with the keyboard. */
export function CodeBlock({ label, children }: { label: string; children: string }) {
  return (
    <div className={classes.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      <section className={classes.code} tabIndex={0} aria-label={label}>
        <pre>{children}</pre>
      </section>
      <div className={classes.copy}>
        <CopyButton value={children} size="compact-xs" />
      </div>
    </div>
  );
}
