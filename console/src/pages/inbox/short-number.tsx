import { personText, type ShownPerson } from '../../ui/values/phone.js';
import classes from './inbox.module.css';

/** CSS truncates the beginning of the number instead of its end. */
export function ShortNumber({ person }: { person: ShownPerson }) {
  return (
    <span className={classes.number} title={personText(person)}>
      <bdi dir="ltr">{personText(person)}</bdi>
    </span>
  );
}
