import type { MonitoringNoticeMode } from '@watchline/contracts/playback'

/** The organisation's notice before the first monitored session. */
export interface Notice {
  mode: MonitoringNoticeMode
  text: string
  /** The same text in the same mode has the same version, on every replica. */
  version: string
}

/** Shown if the organisation gives no text of its own. */
const defaultTexts: Record<MonitoringNoticeMode, string> = {
  off: '',
  inform:
    'While you watch, Watchline records which seconds of each video you have watched, and when. You and your superiors see this. The page Privacy has the details.',
  consent:
    'While you watch, Watchline records which seconds of each video you have watched, and when. You and your superiors see this. The page Privacy has the details. Do you agree? You can withdraw your answer at any time under “What is recorded about me”.',
}

export function createNotice(
  mode: MonitoringNoticeMode,
  text: string | undefined,
  hash: (text: string) => string,
): Notice {
  const shown = text ?? defaultTexts[mode]
  return { mode, text: shown, version: hash(`${mode}:${shown}`) }
}
