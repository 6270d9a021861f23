import { personText, type ShownPerson } from '../../ui/values/phone.js';
import classes from './inbox.module.css';

/** How a person is called, where there may be too little room for a number: then its beginning is left out, not its end. */
export function ShortNumber({ person }: { person: ShownPerson }) {
  return (
    <span className={classes.number} title={personText(person)}>
      <bdi dir="ltr">{personText(person)}</bdi>
    </span>
  );
}
