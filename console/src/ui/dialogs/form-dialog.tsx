import { Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { ApiError } from '../../api/client/request.js';
import { ErrorState } from '../feedback/error-state.js';
import type { TextFieldProps } from '../forms/text-field.js';
import { DialogButtons } from './dialog-buttons.js';

type Problem = (field: string) => string | undefined;
type Field = Pick<TextFieldProps, 'value' | 'error' | 'onChange'>;

interface FormDialogProps {
  /** Whether the dialog is open; true by default, for dialogs that are mounted only while they are open. */
  opened?: boolean;
  onClose(): void;
  title: string;
  submit?: string;
  /** Names of the fields that show their own errors; other errors are shown above the form. */
  fields: readonly string[];
  /** Sends the form; afterwards `onDone` is called, which closes the dialog by default. */
  onSubmit(): Promise<unknown>;
  onDone?(): void;
  /**
   * @param problem returns a field's error message
   * @param field returns a `TextField`'s value, error message and change handler as props
   */
  children(
    problem: Problem,
    field: (name: string, value: string, onChange: (value: string) => void) => Field,
  ): ReactNode;
  size?: string;
}

/** If the server refuses the form, the dialog stays open and keeps the input. */
export function FormDialog(props: FormDialogProps) {
  const { opened = true, onClose, title, size = 'md' } = props;
  return (
    <Modal opened={opened} onClose={onClose} title={title} size={size}>
      <DialogForm {...props} />
    </Modal>
  );
}

/** The form is a separate component, so that reopening the dialog clears the previous errors. */
function DialogForm({ onClose, title, submit = title, fields, onSubmit, onDone = onClose, children }: FormDialogProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // Without this attribute, Mantine would focus the close button.
    if (form.current?.querySelector('[data-autofocus]')) return;
    form.current?.querySelector('input, select, textarea')?.setAttribute('data-autofocus', '');
  }, []);
  useEffect(() => {
    // Mantine restores the focus when a dialog is closed, but not when its parent component is unmounted.
    const focused = document.activeElement;
    return () => {
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if (isLost && focused instanceof HTMLElement) focused.focus({ preventScroll: true });
    };
  }, []);
  const { mutate, error, isPending } = useMutation({ mutationFn: () => onSubmit(), onSuccess: onDone });
  const details = error instanceof ApiError ? error.details : [];
  const problem: Problem = (field) => details.find((detail) => detail.field === field)?.message;
  const isShownByFields = details.length > 0 && details.every(({ field }) => fields.includes(field));
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        // React events bubble from the dialog to any form that contains its button; that form must not be submitted.
        event.stopPropagation();
        mutate();
      }}
    >
      <Stack>
        {error && !isShownByFields && <ErrorState error={error} />}
        {children(problem, (name, value, onChange) => ({ value, error: problem(name), onChange }))}
        <DialogButtons onCancel={onClose} loading={isPending}>
          {submit}
        </DialogButtons>
      </Stack>
    </form>
  );
}
