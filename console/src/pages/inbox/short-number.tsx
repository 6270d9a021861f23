import { phoneText } from '../../ui/values/phone.js';
import classes from './inbox.module.css';

/** A number where there may be too little room for it: then its beginning is left out, not its end. */
export function ShortNumber({ phone }: { phone: string }) {
  return (
    <span className={classes.number} title={phoneText(phone)}>
      <bdi dir="ltr">{phoneText(phone)}</bdi>
    </span>
  );
}
