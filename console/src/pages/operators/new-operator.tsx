import { useState } from 'react';
import { createOperator } from '../../api/operators/operators.js';
import type { Grant } from '../../api/session.js';
import { text } from '../../text/en.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { notify } from '../../ui/feedback/notices.js';
import { GrantFields, useFirstGrant } from './grant-fields.js';
import type { NewLink } from './link-dialog.js';
import { NameField } from './name-field.js';

const words = text.operators;

interface NewOperatorProps {
  onClose(): void;
  onLink(newLink: NewLink): void;
}

export function NewOperatorDialog({ onClose, onLink }: NewOperatorProps) {
  const [name, setName] = useState('');
  const [grant, setGrant] = useState<Grant>(useFirstGrant());
  const submit = async () => {
    const operator = await createOperator({ name, grants: [grant] });
    notify(words.added(operator.name));
    onLink({ name: operator.name, link: operator.link });
  };
  return (
    <FormDialog onClose={onClose} title={words.add} fields={['name']} onSubmit={submit}>
      {(problem) => (
        <>
          <NameField hint={words.nameHint} value={name} error={problem('name')} onChange={setName} />
          <GrantFields value={grant} onChange={setGrant} />
        </>
      )}
    </FormDialog>
  );
}
