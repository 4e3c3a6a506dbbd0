import { completionComplete } from './completion-complete.ts'
import { initialize } from './initialize.ts'
import { createListMethod } from './list-method.ts'
import type { Method } from './method.ts'
import { ping } from './ping.ts'
import { promptsGet } from './prompts-get.ts'
import { resourcesRead } from './resources-read.ts'
import { serverDiscover } from './server-discover.ts'
import { toolsCall } from './tools-call.ts'

const toolsList = createListMethod({ isAvailable: toolsCall.isAvailable, pick: ({ lists }) => lists.tools })
const resourcesList = createListMethod({
  isAvailable: resourcesRead.isAvailable,
  pick: ({ lists }) => lists.resources,
})
const templatesList = createListMethod({
  isAvailable: resourcesRead.isAvailable,
  pick: ({ lists }) => lists.templates,
})
const promptsList = createListMethod({
  isAvailable: promptsGet.isAvailable,
  pick: ({ lists }) => lists.prompts,
})

/** Every MCP method that is answered; each says in which eras it exists. */
export const methods: ReadonlyMap<string, Method> = new Map([
  ['server/discover', serverDiscover],
  ['initialize', initialize],
  ['ping', ping],
  ['tools/list', toolsList],
  ['tools/call', toolsCall],
  ['resources/list', resourcesList],
  ['resources/templates/list', templatesList],
  ['resources/read', resourcesRead],
  ['prompts/list', promptsList],
  ['prompts/get', promptsGet],
  ['completion/complete', completionComplete],
])
