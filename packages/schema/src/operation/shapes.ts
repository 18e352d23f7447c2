import { Agent } from "../agent.ts"
import { Command } from "../command.ts"
import { Config } from "../config.ts"
import { MessageError } from "../error.ts"
import { AssistantMessage, Message, MessageWithParts, OutputFormat, UserMessage } from "../message.ts"
import { FilePart, FilePartSource, Part, ReasoningPart, TextPart, ToolPart, ToolState } from "../part.ts"
import { PermissionReply, PermissionRequest, PermissionRule, PermissionRuleset } from "../permission.ts"
import { ProjectInfo } from "../project.ts"
import { InboxItem, PromptPart } from "../prompt.ts"
import { Provider, ProviderList, ProviderModel } from "../provider.ts"
import { QuestionRequest } from "../question.ts"
import { SearchHit } from "../search.ts"
import { Session, SessionStatus, SnapshotFileDiff } from "../session.ts"
import { Todo } from "../todo.ts"
import { GlobalWireEvent, WireEvent } from "../wire-event.ts"

/** Shapes that have a name in the description of the API; others stand where they are used. */
export const shapes = {
  Session,
  SessionStatus,
  SnapshotFileDiff,
  Message,
  UserMessage,
  AssistantMessage,
  MessageWithParts,
  MessageError,
  OutputFormat,
  Part,
  TextPart,
  ReasoningPart,
  FilePart,
  FilePartSource,
  ToolPart,
  ToolState,
  PromptPart,
  InboxItem,
  PermissionRule,
  PermissionRuleset,
  PermissionRequest,
  PermissionReply,
  QuestionRequest,
  SearchHit,
  Todo,
  Agent,
  Command,
  Provider,
  ProviderModel,
  ProviderList,
  Project: ProjectInfo,
  Config,
  Event: WireEvent,
  GlobalEvent: GlobalWireEvent,
}
