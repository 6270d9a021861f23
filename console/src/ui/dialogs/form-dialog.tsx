import { Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { ApiError } from '../../api/asking/request.js';
import { ErrorState } from '../feedback/error-state.js';
import type { TextFieldProps } from '../forms/text-field.js';
import { DialogButtons } from './dialog-buttons.js';

type Problem = (field: string) => string | undefined;
type Field = Pick<TextFieldProps, 'value' | 'error' | 'onChange'>;

interface FormDialogProps {
  /** False for a dialog that is there while it is closed; others are open as long as they are there. */
  opened?: boolean;
  onClose(): void;
  title: string;
  /** What the button says that sends the form: the title, unless told. */
  submit?: string;
  /** Names of the fields that show their own problem; whatever else the server refuses stands above the form. */
  fields: readonly string[];
  /** Sends the form; the dialog closes once it is done, unless `onDone` says what else happens then. */
  onSubmit(): Promise<unknown>;
  onDone?(): void;
  /**
   * @param problem of a field, for its `error`
   * @param field what a `TextField` is given: its value, its problem and what a change does
   */
  children(
    problem: Problem,
    field: (name: string, value: string, onChange: (value: string) => void) => Field,
  ): ReactNode;
  size?: string;
}

/** A form in a dialog: it stays open, with what was typed, when the server refuses it. */
export function FormDialog(props: FormDialogProps) {
  const { opened = true, onClose, title, size = 'md' } = props;
  return (
    <Modal opened={opened} onClose={onClose} title={title} size={size}>
      <DialogForm {...props} />
    </Modal>
  );
}

/** Apart from the dialog, so that each opening begins without the problems of the last. */
function DialogForm({ onClose, title, submit = title, fields, onSubmit, onDone = onClose, children }: FormDialogProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // Where no field asks for the focus, Mantine would give it to the button that closes the dialog.
    if (form.current?.querySelector('[data-autofocus]')) return;
    form.current?.querySelector('input, select, textarea')?.setAttribute('data-autofocus', '');
  }, []);
  useEffect(() => {
    // Mantine gives the focus back where a dialog is closed, but not where it goes with the component that holds it.
    const focused = document.activeElement;
    return () => {
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if (isLost && focused instanceof HTMLElement) focused.focus({ preventScroll: true });
    };
  }, []);
  const { mutate, error, isPending } = useMutation({ mutationFn: () => onSubmit(), onSuccess: onDone });
  const details = error instanceof ApiError ? error.details : [];
  const problem: Problem = (field) => details.find((each) => each.field === field)?.message;
  const isTold = details.length > 0 && details.every(({ field }) => fields.includes(field));
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        // A dialog is no part of the form that its button stands in, but its events pass there.
        event.stopPropagation();
        mutate();
      }}
    >
      <Stack>
        {error && !isTold && <ErrorState error={error} />}
        {children(problem, (name, value, onChange) => ({ value, error: problem(name), onChange }))}
        <DialogButtons onCancel={onClose} loading={isPending}>
          {submit}
        </DialogButtons>
      </Stack>
    </form>
  );
}
