import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/client/request.js';
import { text } from '../../text/en.js';
import { Icon } from '../basics/icons.js';

/** State of a form for a resource that two operators may edit at the same time. */
export interface VersionedForm<T> {
  resource: T;
  /** React `key` for the form; a new value resets the form. */
  formKey: number;
  /** Warns that another operator has saved a change. */
  notice: ReactNode;
  onTouched(): void;
  save(change: (opened: T) => Promise<T>): Promise<void>;
  /** Saves a change that was made outside the form, and keeps the form's unsaved edits. */
  saveOutsideForm(change: (opened: T) => Promise<T>): Promise<void>;
}

/**
 * Protects a form's edits when another operator changes the same resource. A form without edits shows the new version. A form
 * with edits keeps them, and the operator chooses between loading the new version and overwriting it.
 * @param current latest version from the server
 * @param reload refetches the resource
 */
export function useVersionedForm<T extends { version: string }>(
  current: T,
  reload: () => Promise<unknown>,
): VersionedForm<T> {
  const [opened, setOpened] = useState({ resource: current, formKey: 0 });
  const [isTouched, setIsTouched] = useState(false);
  const [isSaving, setIsSaving] = useState(false);
  const hasNewVersion = current.version !== opened.resource.version && !isSaving;
  const restart = (resource: T) => {
    setOpened(({ formKey }) => ({ resource, formKey: formKey + 1 }));
    setIsTouched(false);
  };
  if (hasNewVersion && !isTouched) restart(current);
  const keepEdits = (resource: T) => setOpened(({ formKey }) => ({ resource, formKey }));
  const saveChange = async (change: (opened: T) => Promise<T>, then: (resource: T) => void) => {
    setIsSaving(true);
    try {
      then(await change(opened.resource));
    } catch (error) {
      if (error instanceof ApiError && error.code === 'CHANGED_MEANWHILE') await reload().catch(() => undefined);
      throw error;
    } finally {
      setIsSaving(false);
    }
  };
  return {
    ...opened,
    notice:
      hasNewVersion && isTouched ? (
        <VersionConflict onLoad={() => restart(current)} onKeep={() => keepEdits(current)} />
      ) : null,
    onTouched: () => setIsTouched(true),
    save: (change) => saveChange(change, restart),
    saveOutsideForm: (change) => saveChange(change, isTouched ? keepEdits : restart),
  };
}

export function useReportTouched(onTouched: (() => void) | undefined, ...state: readonly unknown[]): void {
  const first = useRef(state);
  const isTouched = state.some((value, index) => value !== first.current[index]);
  useEffect(() => {
    if (isTouched) onTouched?.();
  }, [isTouched, onTouched]);
}

function VersionConflict({ onLoad, onKeep }: { onLoad(): void; onKeep(): void }) {
  const words = text.common.versionConflict;
  return (
    <Alert color="yellow" variant="light" title={words.title} icon={<Icon name="warning" />} role="alert" mb="md">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{words.lead}</Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={onLoad}>
            {words.load}
          </Button>
          <Button size="xs" variant="default" onClick={onKeep}>
            {words.keep}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
