import { createSlice, type PayloadAction } from '@reduxjs/toolkit'

/** Words for answers that are not given yet, by notification: they outlast the menu. No entry: no comment was begun. */
export type AnswerDrafts = Readonly<Record<string, string>>

const slice = createSlice({
  name: 'answerDrafts',
  initialState: {} as AnswerDrafts,
  reducers: {
    draftWritten: (drafts, { payload: { id, words } }: PayloadAction<{ id: string; words: string }>) => ({
      ...drafts,
      [id]: words,
    }),
    draftDone: (drafts, { payload: id }: PayloadAction<string>) => {
      const { [id]: _, ...others } = drafts
      return others
    },
  },
})

export const { draftWritten, draftDone } = slice.actions
export const answerDrafts = slice.reducer

export function answerDraftOf(state: { answerDrafts: AnswerDrafts }, id: string): string | undefined {
  return state.answerDrafts[id]
}
