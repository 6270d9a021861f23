import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/asking/request.js';
import { text } from '../../text/en.js';
import { Icon } from '../basics/icons.js';

/** Something that two people may change at once, as a form has opened it. */
export interface Opened<T> {
  /** As it was when the form was filled, or when somebody chose to save over it. */
  thing: T;
  /** The form begins anew with each: its `key`. */
  round: number;
  /** Says that somebody else has saved meanwhile, and what can be done; null while nobody has. */
  notice: ReactNode;
  /** The form tells that something was typed, see `useTouched`. */
  onTouched(): void;
  /** Makes the change of the form, which begins anew with what came of it. */
  save(change: (opened: T) => Promise<T>): Promise<void>;
  /** Makes a change beside the form, which keeps what was typed. */
  beside(change: (opened: T) => Promise<T>): Promise<void>;
}

/**
 * Keeps what was typed into a form while somebody else changes the same thing. A form that nobody has touched shows what is
 * there now; in another one what was typed stays, and whoever typed it chooses: what is there now, or to save over it.
 * @param now as the page has read it last
 * @param readAgain has the page read it anew
 */
export function useOpened<T extends { version: string }>(now: T, readAgain: () => Promise<unknown>): Opened<T> {
  const [opened, setOpened] = useState({ thing: now, round: 0 });
  const [isTouched, setIsTouched] = useState(false);
  const [isSaving, setIsSaving] = useState(false);
  const isOther = now.version !== opened.thing.version && !isSaving;
  const begin = (thing: T) => {
    setOpened(({ round }) => ({ thing, round: round + 1 }));
    setIsTouched(false);
  };
  if (isOther && !isTouched) begin(now);
  const keep = (thing: T) => setOpened(({ round }) => ({ thing, round }));
  const changing = async (change: (opened: T) => Promise<T>, then: (thing: T) => void) => {
    setIsSaving(true);
    try {
      then(await change(opened.thing));
    } catch (error) {
      if (error instanceof ApiError && error.code === 'CHANGED_MEANWHILE') await readAgain().catch(() => undefined);
      throw error;
    } finally {
      setIsSaving(false);
    }
  };
  return {
    ...opened,
    notice: isOther && isTouched ? <ChangedMeanwhile onLoad={() => begin(now)} onKeep={() => keep(now)} /> : null,
    onTouched: () => setIsTouched(true),
    save: (change) => changing(change, begin),
    beside: (change) => changing(change, isTouched ? keep : begin),
  };
}

/**
 * Tells when a form no longer holds what it began with.
 * @param state of its fields: other values once something was typed
 */
export function useTouched(onTouched: (() => void) | undefined, ...state: readonly unknown[]): void {
  const first = useRef(state);
  const isTouched = state.some((each, index) => each !== first.current[index]);
  useEffect(() => {
    if (isTouched) onTouched?.();
  }, [isTouched, onTouched]);
}

function ChangedMeanwhile({ onLoad, onKeep }: { onLoad(): void; onKeep(): void }) {
  const words = text.common.changedMeanwhile;
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
