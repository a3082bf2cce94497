"""Reviews of a finished hand: by best play with open hands, and by what each player could know."""
