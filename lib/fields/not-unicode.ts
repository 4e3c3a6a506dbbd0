/** What is wrong with a text for which `isWellFormed` is false. */
export const notUnicode = 'must be well-formed Unicode, without halves of surrogate pairs'
