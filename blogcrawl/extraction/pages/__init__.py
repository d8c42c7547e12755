"""What kind of page it is: a post, several posts, a list, one leaf of a longer post, one page for
many addresses.
"""
