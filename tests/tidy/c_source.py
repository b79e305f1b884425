"""Enough of C's surface to judge style: comments, statements and functions, with their lines."""

import re

TOKENS = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)
      | (?P<literal>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')""",
    re.DOTALL | re.VERBOSE)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
LINKAGE = re.compile(r'extern\s*""\s*\{')


def blank(text):
    """Spaces of the same shape, so that offsets and lines stay."""
    return re.sub(r"[^\n]", " ", text)


class Comment:
    def __init__(self, text, first_line, last_line):
        self.text, self.first_line, self.last_line = text, first_line, last_line


class Source:
    """One file. Lines count from 1.

    code        the text without comments, literals emptied
    statements  the code without preprocessor directives
    functions   (first line, last line) of each body and its head
    """

    def __init__(self, text):
        self.text = text
        self.lines = text.split("\n")
        self.comments = []
        self.code = TOKENS.sub(self._take_token, text)
        self.statements = DIRECTIVE.sub(lambda match: blank(match.group()), self.code)
        self.functions = list(self._find_functions())

    def line_at(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def _take_token(self, match):
        if match.group("comment"):
            self.comments.append(Comment(match.group(), self.line_at(match.start()),
                                         self.line_at(match.end() - 1)))
            return blank(match.group())
        quote = match.group()[0]
        return quote + quote + " " * (len(match.group()) - 2)

    def _find_functions(self):
        """A function is a brace at the outermost level right after a parenthesis."""
        text = LINKAGE.sub(lambda match: match.group()[:-1] + ";", self.statements)
        depth, head, is_function = 0, 0, False
        for match in re.finditer(r"[{};]", text):
            if match.group() == "{":
                if depth == 0:
                    is_function = text[head:match.start()].rstrip().endswith(")")
                    first = head + len(text[head:]) - len(text[head:].lstrip())
                depth += 1
            elif match.group() == "}":
                depth = max(0, depth - 1)
                if depth == 0 and is_function:
                    yield self.line_at(first), self.line_at(match.start())
                    is_function = False
            if depth == 0:
                head = match.end()

    def function_at(self, line):
        """(first line, last line) of the function around a line, or None."""
        for first, last in self.functions:
            if first <= line <= last:
                return first, last
        return None

    def statement_at(self, offset):
        """(first line, last line) of the statement around an offset."""
        start = max(self.statements.rfind(mark, 0, offset) for mark in ";{}") + 1
        start += len(self.statements[start:]) - len(self.statements[start:].lstrip())
        end = re.compile(r"[;{]|\Z").search(self.statements, offset).start()
        return self.line_at(start), self.line_at(end)

    def comments_above(self, line):
        """The unbroken run of comment lines that ends right above a line, nearest first."""
        for comment in reversed(self.comments):
            if comment.last_line == line - 1 and self._stands_alone(comment):
                yield comment
                line = comment.first_line

    def comments_of(self, first_line, last_line):
        """The comments that touch these lines, and those that stand right above them."""
        inside = [comment for comment in self.comments
                  if comment.last_line >= first_line and comment.first_line <= last_line]
        return inside + list(self.comments_above(first_line))

    def _stands_alone(self, comment):
        lines = self.code.split("\n")[comment.first_line - 1:comment.last_line]
        return not "".join(lines).strip()
